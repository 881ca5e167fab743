; Cases with the same target are one edge.
; RUN: %check
; CHECK:       @__vestige_slot = private global {{.*}} { i32 {{.*}}, i32 3,
; CHECK-LABEL: define i32 @switch(
; CHECK:       switch i32 %n, label %other [
; CHECK-NEXT:    i32 0, label %same
; CHECK-NEXT:    i32 1, label %same
; CHECK-NEXT:    i32 2, label %same
; CHECK-NEXT:    i32 3, label %single
; CHECK:       out:
; CHECK:       %vestige.path{{.*}} = phi i32 [ {{[012]}}, %{{same|single|other}} ], [ {{[012]}}, %{{same|single|other}} ], [ {{[012]}}, %{{same|single|other}} ]
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK-NOT:   @__vestige_full_here
; CHECK:       {{^}}}
define i32 @switch(i32 %n) {
entry:
  switch i32 %n, label %other [
    i32 0, label %same
    i32 1, label %same
    i32 2, label %same
    i32 3, label %single
  ]
same:
  %v = phi i32 [ 7, %entry ], [ 7, %entry ], [ 7, %entry ]
  br label %out
single:
  br label %out
other:
  br label %out
out:
  %w = phi i32 [ %v, %same ], [ 1, %single ], [ 2, %other ]
  ret i32 %w
}
