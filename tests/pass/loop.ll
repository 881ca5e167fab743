; A loop's back edge ends the path: one append per round, one at the return.
; RUN: %check
; CHECK:       @__vestige_slot = private global {{.*}} { i32 {{.*}}, i32 4,
; CHECK-LABEL: define i32 @loop
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       br i1 %more, label %vestige.edge, label %done
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   @__vestige_full_here
; CHECK:       {{^}}}
define i32 @loop(i32 %n) {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %next, %header ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %header, label %done
done:
  ret i32 %next
}
