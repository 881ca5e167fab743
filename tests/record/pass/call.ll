; The pointer goes back to the thread's state before a call and comes from there after it. Calls that run no user code
; (intrinsics, assembly) do not end the path.
; RUN: %check
; CHECK-LABEL: define void @call
; CHECK:       call {{.*}}@llvm.threadlocal.address{{.*}}@__vestige_thread
; CHECK-NOT:   @__vestige_full_here
; CHECK:       call void @llvm.memset
; CHECK-NOT:   @__vestige_full_here
; CHECK:       call void asm
; CHECK:       store i32
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       [[FIELD:%.*]] = getelementptr inbounds i64, ptr {{.*}}, i64 0
; CHECK-NEXT:  store ptr %vestige.next{{.*}}, ptr [[FIELD]]
; CHECK-NEXT:  call void @callee()
; CHECK:       [[AGAIN:%.*]] = getelementptr inbounds i64, ptr {{.*}}, i64 0
; CHECK-NEXT:  [[NEXT:%.*]] = load ptr, ptr [[AGAIN]]
; CHECK:       call void @llvm.memset
; CHECK:       store i32 {{.*}}, ptr [[NEXT]]
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       ret void
declare void @callee()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @call(ptr %p) {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 64, i1 false)
  call void asm sideeffect "nop", ""()
  call void @callee()
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 64, i1 false)
  ret void
}
