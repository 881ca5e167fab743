; Nothing stands between a tail call and its return: deep tail recursion stays flat.
; RUN: %check
; CHECK-LABEL: define i32 @tail(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  %v = tail call i32 @callee(i32 %n)
; CHECK-NEXT:  ret i32 %v
; CHECK-LABEL: define i32 @must(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  %v = musttail call i32 @callee(i32 %n)
; CHECK-NEXT:  ret i32 %v
; CHECK-LABEL: define i32 @not_in_tail_position(
; CHECK:       call i32 @callee
; CHECK:       load ptr
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       ret i32 %w
; CHECK-LABEL: define void @void_tail(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  tail call void @other()
; CHECK-NEXT:  ret void
; The return that several ways lead to is copied behind the calls.
; CHECK-LABEL: define i32 @shared_return(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  %v = tail call i32 @callee(i32 %n)
; CHECK-NEXT:  ret i32 %v
; CHECK-LABEL: define void @shared_void_return(
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  tail call void @other()
; CHECK-NEXT:  ret void
declare i32 @callee(i32)
declare void @other()
define i32 @tail(i32 %n) {
  %v = tail call i32 @callee(i32 %n)
  ret i32 %v
}
define i32 @must(i32 %n) {
  %v = musttail call i32 @callee(i32 %n)
  ret i32 %v
}
define i32 @not_in_tail_position(i32 %n) {
  %v = tail call i32 @callee(i32 %n)
  %w = add i32 %v, 1
  ret i32 %w
}
define void @void_tail() {
  tail call void @other()
  ret void
}
define i32 @shared_return(i32 %n) {
entry:
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %v = tail call i32 @callee(i32 %n)
  br label %end
end:
  %r = phi i32 [ 7, %entry ], [ %v, %more ]
  ret i32 %r
}
define void @shared_void_return(i32 %n) {
entry:
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  tail call void @other()
  br label %end
end:
  ret void
}
