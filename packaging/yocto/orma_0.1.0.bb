SUMMARY = "Records what a machine does, and answers questions about it in SQL"
DESCRIPTION = "A tracing stack in C: records the kernel and programs, speaks Perfetto's formats and protocols, and says exactly what was lost."
LICENSE = "Apache-2.0"
LIC_FILES_CHKSUM = "file://LICENSE;md5=3b83ef96387f14655fc854ddc3c6bd57"

# Where the archive of the release lies; the sum is that of the archive.
ORMA_MIRROR ?= "https://orma.example/releases"
SRC_URI = "${ORMA_MIRROR}/orma-${PV}.tar.xz"

inherit meson pkgconfig python3-dir

DEPENDS = "libevent sqlite3 protobuf-c protobuf-c-native protobuf-native"

# What is small enough for a target: the service, the probes, recording and queries. The rest is chosen by name.
PACKAGECONFIG ??= "zlib zstd seccomp pcre2 ${@bb.utils.filter('DISTRO_FEATURES', 'systemd', d)}"
PACKAGECONFIG[zlib] = "-Dzlib=enabled,-Dzlib=disabled,zlib"
PACKAGECONFIG[libdeflate] = "-Dlibdeflate=enabled,-Dlibdeflate=disabled,libdeflate"
PACKAGECONFIG[zstd] = "-Dzstd=enabled,-Dzstd=disabled,zstd"
PACKAGECONFIG[xz] = "-Dxz=enabled,-Dxz=disabled,xz"
PACKAGECONFIG[bzip2] = "-Dbzip2=enabled,-Dbzip2=disabled,bzip2"
PACKAGECONFIG[expat] = "-Dexpat=enabled,-Dexpat=disabled,expat"
PACKAGECONFIG[libedit] = "-Dlibedit=enabled,-Dlibedit=disabled,libedit"
PACKAGECONFIG[pcre2] = "-Dpcre2=enabled,-Dpcre2=disabled,libpcre2"
PACKAGECONFIG[demangle] = "-Ddemangle=enabled,-Ddemangle=disabled"
PACKAGECONFIG[seccomp] = "-Dseccomp=enabled,-Dseccomp=disabled,libseccomp"
PACKAGECONFIG[journald] = "-Djournald=enabled,-Djournald=disabled,systemd"
PACKAGECONFIG[dwarf] = "-Ddwarf=enabled,-Ddwarf=disabled,elfutils"
PACKAGECONFIG[systemd] = "-Dsystemd=enabled,-Dsystemd=disabled,systemd"

EXTRA_OEMESON = "-Dtests=disabled -Desbuild=disabled -Dpython.purelibdir=${PYTHON_SITEPACKAGES_DIR}"

# Manual pages and completions are made by the program; meson.bbclass runs it in qemu-user.
EXEWRAPPER_ENABLED = "True"

PACKAGES =+ "${PN}-service ${PN}-perfetto liborma liborma-processor python3-${PN}"

FILES:${PN}-service = "${systemd_system_unitdir} ${systemd_user_unitdir} ${nonarch_libdir}/sysusers.d"
FILES:${PN}-perfetto = "${bindir}/perfetto ${bindir}/trigger_perfetto ${bindir}/tracebox ${bindir}/traceconv ${bindir}/trace_processor* \
    ${bindir}/cpu_profile ${bindir}/websocket_bridge ${bindir}/traced ${bindir}/traced_probes"
FILES:liborma = "${libdir}/liborma.so.*"
FILES:liborma-processor = "${libdir}/liborma_processor.so.* ${libdir}/orma_sqlite.so"
FILES:python3-${PN} = "${PYTHON_SITEPACKAGES_DIR}/orma"
FILES:${PN} += "${libdir}/liborma_heap.so ${datadir}/bash-completion ${datadir}/fish ${datadir}/zsh"

RDEPENDS:${PN}-service = "${PN}"
RDEPENDS:${PN}-perfetto = "${PN}"
RDEPENDS:python3-${PN} = "liborma-processor python3-core python3-ctypes"
RCONFLICTS:${PN}-perfetto = "perfetto"
RCONFLICTS:${PN}-service = "perfetto"

inherit systemd useradd
SYSTEMD_PACKAGES = "${@bb.utils.contains('DISTRO_FEATURES', 'systemd', '${PN}-service', '', d)}"
SYSTEMD_SERVICE:${PN}-service = "traced.service traced_probes.service traced-producer.socket traced-consumer.socket"
USERADD_PACKAGES = "${PN}-service"
GROUPADD_PARAM:${PN}-service = "--system tracing; --system traced"
USERADD_PARAM:${PN}-service = "--system --home-dir /run/perfetto --no-create-home --shell /sbin/nologin --gid traced --groups tracing traced"
