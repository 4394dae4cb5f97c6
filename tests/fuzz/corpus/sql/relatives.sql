SELECT * FROM slice s LEFT JOIN descendant_slice(s.id) d; SELECT * FROM ancestor_slice(2); SELECT count(*) FROM following_flow(1), preceding_flow(3), directly_connected_flow(1)
