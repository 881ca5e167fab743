; A path that ends where nothing goes on is appended before it stops; behind a call that does not return there is nothing.
; RUN: %check
; CHECK-LABEL: define i32 @dies(
; CHECK:       die:
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  call void @abort()
; CHECK-NEXT:  unreachable
; CHECK-LABEL: define void @traps(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  call void @llvm.trap()
; CHECK-NEXT:  unreachable
; CHECK-LABEL: define void @falls(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  unreachable
declare void @abort() noreturn
define i32 @dies(i1 %c) {
entry:
  br i1 %c, label %fine, label %die
fine:
  ret i32 0
die:
  call void @abort() noreturn
  unreachable
}
declare void @llvm.trap()
define void @traps() {
  call void @llvm.trap()
  unreachable
}
define void @falls() {
  unreachable
}
