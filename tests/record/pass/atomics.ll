; Each atomic operation ends a path, before it runs; the pointer stays in its register. The location's stripe is taken right
; before the operation and given back, with a stamp, right behind it; where the next word goes may be another place then. Plain,
; volatile and unordered accesses and single-thread fences end nothing.
; RUN: %check
; CHECK-LABEL: define i32 @atomics(
; CHECK-NOT:   store ptr
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   store ptr
; CHECK:       call preserve_mostcc void @__vestige_atomic_begin_here(i64 [[P:%[0-9]+]])
; CHECK-NEXT:  load atomic i32, ptr %p acquire
; CHECK-NEXT:  [[NEXT:%[0-9]+]] = call preserve_mostcc ptr @__vestige_atomic_end_here(ptr %{{.*}}, i64 [[P]], i64 544)
; CHECK-NOT:   store ptr
; CHECK:       store i32 {{.*}}, ptr [[NEXT]]
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   store ptr
; CHECK:       call preserve_mostcc void @__vestige_atomic_begin_here
; CHECK-NEXT:  store atomic i32 1, ptr %p release
; CHECK-NEXT:  call preserve_mostcc ptr @__vestige_atomic_end_here(ptr %{{.*}}, i64 {{.*}}, i64 801)
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       call preserve_mostcc void @__vestige_atomic_begin_here
; CHECK-NEXT:  atomicrmw add
; CHECK-NEXT:  call preserve_mostcc ptr @__vestige_atomic_end_here(ptr %{{.*}}, i64 {{.*}}, i64 1314)
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       call preserve_mostcc void @__vestige_atomic_begin_here
; CHECK-NEXT:  [[DONE:%.*]] = cmpxchg
; CHECK:       extractvalue { i32, i1 } [[DONE]], 1
; CHECK:       or i64 {{.*}}, 21795
; CHECK:       call preserve_mostcc ptr @__vestige_atomic_end_here
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   store ptr
; CHECK-NOT:   __vestige_atomic_begin
; CHECK:       fence seq_cst
; CHECK-NEXT:  call preserve_mostcc ptr @__vestige_atomic_end_here(ptr %{{.*}}, i64 0, i64 1316)
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       store ptr %vestige.next
; CHECK:       ret i32
; CHECK-LABEL: define i32 @plain(
; CHECK-NOT:   @__vestige_full_here
; CHECK-NOT:   @__vestige_atomic
; CHECK:       fence syncscope("singlethread") seq_cst
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   @__vestige_full_here
; CHECK:       {{^}}}
define i32 @atomics(ptr %p) {
  %a = load atomic i32, ptr %p acquire, align 4
  store atomic i32 1, ptr %p release, align 4
  %b = atomicrmw add ptr %p, i32 1 seq_cst
  %c = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  fence seq_cst
  ret i32 %a
}
define i32 @plain(ptr %p) {
  %a = load volatile i32, ptr %p
  %b = load atomic i32, ptr %p unordered, align 4
  fence syncscope("singlethread") seq_cst
  ret i32 %a
}
