-- Packets of the network, and the time that they keep the radio awake.

-- Packets, or bundles of them, as slices.
CREATE PERFETTO VIEW android_network_packets(
  -- The slice.
  id ID,
  -- Its time.
  ts TIMESTAMP,
  -- Its length: 0 for single packets.
  dur DURATION,
  -- Name of the track, if it is one of a process.
  track_name STRING,
  -- The package, or the user.
  package_name STRING,
  -- The interface.
  iface STRING,
  -- 'Transmitted' or 'Received'.
  direction STRING,
  -- Packets.
  packet_count LONG,
  -- Their bytes.
  packet_length LONG,
  -- The protocol.
  packet_transport STRING,
  -- Flags of TCP, as letters.
  packet_tcp_flags LONG,
  -- The same as a number.
  packet_tcp_flags_int LONG,
  -- Tag of the socket.
  socket_tag STRING,
  -- The same as a number.
  socket_tag_int LONG,
  -- User of the socket.
  socket_uid LONG,
  -- Its port.
  local_port LONG,
  -- The port of the other end.
  remote_port LONG,
  -- Type of ICMP.
  packet_icmp_type LONG,
  -- Code of ICMP.
  packet_icmp_code LONG
) AS
SELECT
  n.id, s.ts, s.dur,
  t.name AS track_name,
  s.name AS package_name, n.iface, n.direction, n.packet_count, n.packet_length,
  n.packet_transport, n.packet_tcp_flags_str AS packet_tcp_flags,
  n.packet_tcp_flags AS packet_tcp_flags_int, n.socket_tag_str AS socket_tag,
  n.socket_tag AS socket_tag_int, n.socket_uid, n.local_port, n.remote_port, n.packet_icmp_type,
  n.packet_icmp_code
FROM __intrinsic_android_network_packets AS n
JOIN slice AS s ON s.id = n.id
LEFT JOIN process_track AS t ON t.id = s.track_id;
