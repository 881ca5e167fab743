; A loop's back edge ends the path: one append per round, one at the return. There are two ways round, so they are not counted; the
; loop around it makes no difference, whose every round has the inner one's.
; RUN: %check
; CHECK-LABEL: define i32 @two_ways
; CHECK-NOT:   @__vestige_run_here
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   @__vestige_full_here
; CHECK:       {{^}}}
define i32 @two_ways(i32 %n) {
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %on, %outer_latch ]
  br label %header
header:
  %i = phi i32 [ 0, %outer ], [ %next, %latch ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %a, label %latch
a:
  br label %latch
latch:
  %step = phi i32 [ 1, %header ], [ 3, %a ]
  %next = add i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %header, label %outer_latch
outer_latch:
  %on = add i32 %o, 1
  %again = icmp slt i32 %on, %n
  br i1 %again, label %outer, label %done
done:
  ret i32 %next
}
