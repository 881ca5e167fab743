; Behind a call that may return twice, frames above may be gone: the activation is announced again.
; RUN: %check
; CHECK-LABEL: define i32 @set(
; CHECK:       [[ENTRY:%vestige.entry.*]] = alloca i64
; CHECK:       store volatile i64 {{.*}}, ptr [[ENTRY]]
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  %v = call i32 @_setjmp
; CHECK-NEXT:  [[TIME:%.*]] = load volatile i64, ptr [[ENTRY]]
; CHECK-NEXT:  call void @__vestige_reannounce(i64 [[TIME]])
; CHECK:       load ptr
; CHECK:       ret i32 %v
declare i32 @_setjmp(ptr) returns_twice
define i32 @set(ptr %buffer) {
  %v = call i32 @_setjmp(ptr %buffer) returns_twice
  ret i32 %v
}
