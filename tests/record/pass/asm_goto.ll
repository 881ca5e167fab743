; asm goto runs no recorded code: its targets go on with the pointer they have, from wherever they are reached.
; RUN: %check
; CHECK-LABEL: define i32 @asm_goto(
; CHECK:       load ptr
; CHECK:       callbr void asm
; CHECK:       fall:
; CHECK-NOT:   getelementptr inbounds i64, ptr %{{.*}}, i64 0
; CHECK:       store i32 {{.*}}, ptr %vestige.next
; CHECK:       {{^}}out:
; CHECK:       [[NEXT:%vestige.next.*]] = phi ptr
; CHECK:       store i32 {{.*}}, ptr [[NEXT]]
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  ret i32 %v
define i32 @asm_goto(i1 %c) {
entry:
  br i1 %c, label %jump, label %out
jump:
  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %fall [label %out]
fall:
  br label %out
out:
  %v = phi i32 [ 0, %entry ], [ 1, %jump ], [ 2, %fall ]
  ret i32 %v
}
