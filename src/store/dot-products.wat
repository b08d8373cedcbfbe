;; Dot products of one vector with every row of a matrix, 32-bit floats, eight at a time.
;; Assembled to dot-products.wasm: node scripts/assemble-wasm.ts
(module
  (memory (export "memory") 1)
  ;; $matrix: address of the first row; $rows: how many (at least one); $stride: bytes of a row, a multiple of 32;
  ;; $vector: address of the vector, as long as a row; $out: where the products go, four bytes each.
  (func (export "dotProducts")
    (param $matrix i32) (param $rows i32) (param $stride i32) (param $vector i32) (param $out i32)
    (local $end i32) (local $at i32) (local $even v128) (local $odd v128)
    (loop $row
      (local.set $end (i32.add (local.get $matrix) (local.get $stride)))
      (local.set $at (local.get $vector))
      (local.set $even (v128.const f32x4 0 0 0 0))
      (local.set $odd (v128.const f32x4 0 0 0 0))
      (loop $eight
        (local.set $even (f32x4.add (local.get $even)
          (f32x4.mul (v128.load (local.get $matrix)) (v128.load (local.get $at)))))
        (local.set $odd (f32x4.add (local.get $odd)
          (f32x4.mul (v128.load offset=16 (local.get $matrix)) (v128.load offset=16 (local.get $at)))))
        (local.set $matrix (i32.add (local.get $matrix) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $eight (i32.lt_u (local.get $matrix) (local.get $end))))
      (local.set $even (f32x4.add (local.get $even) (local.get $odd)))
      (f32.store (local.get $out) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $even)) (f32x4.extract_lane 1 (local.get $even)))
        (f32.add (f32x4.extract_lane 2 (local.get $even)) (f32x4.extract_lane 3 (local.get $even)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br_if $row (local.get $rows)))))
