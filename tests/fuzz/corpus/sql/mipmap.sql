CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT id, ts, dur, depth FROM slice)); SELECT * FROM m(0, 99, 7); SELECT * FROM __intrinsic_window(0, 100, 33) w
