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

CREATE PERFETTO MACRO _np_column(column ColumnName)
RETURNS _ProjectionFragment AS
$column;

-- The rows with `group_id`, a number that rows which follow each other by at most `gap` have in common, and
-- `max_end_so_far`, when the rows before were over.
CREATE PERFETTO MACRO _network_groups(
  -- Spans with `ts` and `dur`.
  src TableOrSubquery,
  -- Spans that differ in these are apart.
  partition_columns ColumnNameList,
  -- The longest pause within a group.
  gap Expr
)
RETURNS TableOrSubquery AS
(
  WITH _np_seen AS (
    SELECT
      *,
      max(ts + dur) OVER (
        PARTITION BY __intrinsic_token_apply!(_np_column, $partition_columns)
        ORDER BY ts
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS max_end_so_far
    FROM $src
  )
  SELECT
    *,
    sum(max_end_so_far IS NULL OR ts > max_end_so_far + ($gap)) OVER (
      PARTITION BY __intrinsic_token_apply!(_np_column, $partition_columns)
      ORDER BY ts
      ROWS UNBOUNDED PRECEDING
    ) AS group_id
  FROM _np_seen
);

-- How long a network was awake, if it sleeps `timeout` after the last packet. Columns: those of the partition, `ts`,
-- `dur`, `packet_count` and `packet_length`.
CREATE PERFETTO MACRO android_network_uptime_spans(
  -- Packets: the partition columns, `ts`, `dur`, `packet_count`, `packet_length`.
  src TableOrSubquery,
  -- Packets that differ in these keep different networks awake.
  partition_columns ColumnNameList,
  -- After what time a network sleeps.
  timeout Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    min(ts) AS ts, max(ts + dur) + ($timeout) - min(ts) AS dur, sum(packet_count) AS packet_count,
    sum(packet_length) AS packet_length
    __intrinsic_token_apply_prefix!(_np_column, $partition_columns)
  FROM _network_groups!($src, $partition_columns, $timeout)
  GROUP BY __intrinsic_token_apply!(_np_column, $partition_columns), group_id
);

-- How much longer each row kept its network awake, if that sleeps `timeout` after the last packet. The first of rows that
-- overlap pays for the time since the rows before, at most `timeout`; all of them share the length of their group by
-- their packets. Columns: `id` and `uptime_cost`.
CREATE PERFETTO MACRO android_network_uptime_cost(
  -- Packets: the partition columns, `id`, `ts`, `dur`, `packet_count`.
  src TableOrSubquery,
  -- Packets that differ in these keep different networks awake.
  partition_columns ColumnNameList,
  -- After what time a network sleeps.
  timeout Expr
)
RETURNS TableOrSubquery AS
(
  WITH _np_rows AS (
    SELECT
      id, ts, packet_count, max_end_so_far,
      row_number() OVER _np_group AS _np_place,
      max(ts + dur) OVER _np_whole - min(ts) OVER _np_whole AS _np_dur,
      sum(packet_count) OVER _np_whole AS _np_packets
    FROM _network_groups!($src, $partition_columns, 0)
    WINDOW
      _np_group AS (
        PARTITION BY __intrinsic_token_apply!(_np_column, $partition_columns), group_id ORDER BY ts, id
      ),
      _np_whole AS (PARTITION BY __intrinsic_token_apply!(_np_column, $partition_columns), group_id)
  )
  SELECT
    id,
    CAST(
      iif(
        _np_place = 1,
        coalesce(min(ts - max_end_so_far, ($timeout)), ($timeout)),
        0
      )
      + coalesce(1.0 * _np_dur * packet_count / nullif(_np_packets, 0), 0) AS INT
    ) AS uptime_cost
  FROM _np_rows
);
