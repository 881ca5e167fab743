; Every round calls, and the call ends the path: the back edge costs nothing of its own.
; RUN: %check
; Three paths: entry to the call, from the call round to itself, from the call to the return.
; CHECK:       @__vestige_slot = private global {{.*}} { i32 {{.*}}, i32 3,
; CHECK-LABEL: define i32 @loop_with_call
; CHECK:       header:
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       store ptr %vestige.next
; CHECK:       call i32 @callee
; CHECK:       load ptr
; CHECK-NOT:   @__vestige_full_here
; CHECK:       br i1 %more, label %header, label %done
; CHECK:       done:
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   @__vestige_full_here
; CHECK:       {{^}}}
declare i32 @callee(i32)
define i32 @loop_with_call(i32 %n) {
entry:
  br label %header
header:
  %v = call i32 @callee(i32 %n)
  %more = icmp slt i32 %v, %n
  br i1 %more, label %header, label %done
done:
  ret i32 %v
}
