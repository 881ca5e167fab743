; Edges of an indirectbr hold no code: its targets set the path register at their top, and ordinary ways to them end the path.
; RUN: %check
; CHECK-LABEL: define void @indirect(
; CHECK:       br i1 %c, label %dispatch, label %[[EDGE:vestige.edge.*]]
; CHECK:       dispatch:
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       indirectbr ptr %to, [label %a, label %b]
; CHECK:       [[EDGE]]:
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       {{^}}a:
; CHECK-NEXT:  [[NEXT:%vestige.next.*]] = phi ptr
; CHECK:       store i32 {{.*}}, ptr [[NEXT]]
; CHECK-LABEL: define i32 @bare(
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       dispatch:
; CHECK-NOT:   store
; CHECK:       indirectbr ptr %to, [label %a, label %b]
define void @indirect(ptr %to, i1 %c) {
entry:
  br i1 %c, label %dispatch, label %a
dispatch:
  indirectbr ptr %to, [label %a, label %b]
a:
  ret void
b:
  ret void
}
; A block of nothing but the jump, shared by all: words are appended before it, so that the code generator can copy it.
define i32 @bare(ptr %program, i32 %n) {
entry:
  %first = load ptr, ptr %program
  br label %dispatch
dispatch:
  %to = phi ptr [ %first, %entry ], [ %again, %a ]
  indirectbr ptr %to, [label %a, label %b]
a:
  %again = load ptr, ptr %program
  br label %dispatch
b:
  ret i32 %n
}
