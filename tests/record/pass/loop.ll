; A loop that can only go round in one way. Its first rounds append their paths, then a run is begun, and from there on
; each round only stores how far it is; whoever leaves ends the run.
; RUN: %check
; CHECK:       @__vestige_slot = private global {{.*}} { i32 {{.*}}, i32 4,
; CHECK-LABEL: define i32 @loop
; CHECK:       vestige.edge:
; CHECK:       icmp ne ptr [[PLACE:%vestige.run.*]], null
; CHECK:       store atomic i64 {{.*}}, ptr [[PLACE]] monotonic, align 8
; CHECK:       icmp uge ptr
; CHECK:       [[BEGUN:%.*]] = call preserve_mostcc ptr @__vestige_run_here
; CHECK:       phi ptr [ [[BEGUN]], {{.*}} ], [ [[PLACE]], {{.*}} ]
; CHECK:       header:
; CHECK:       [[PLACE]] = phi ptr [ null, %entry ], [ %vestige.run{{.*}} ]
; CHECK:       br i1 %more, label %vestige.edge, label %done
; CHECK:       done:
; CHECK:       icmp ne ptr [[PLACE]], null
; CHECK:       call preserve_mostcc ptr @__vestige_run_end_here
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
