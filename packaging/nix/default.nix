# nix-build packaging/nix, in a checkout; or callPackage of nixpkgs.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "orma";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;

  outputs = [ "out" "dev" "man" ];

  nativeBuildInputs = with pkgs; [
    esbuild
    meson
    ninja
    pkg-config
    protobuf
    protobufc
    python3
  ];

  buildInputs = with pkgs; [
    bzip2
    elfutils
    expat
    libdeflate
    libedit
    libevent
    libseccomp
    pcre2
    protobufc
    sqlite
    systemd
    xz
    zlib
    zstd
  ];

  mesonBuildType = "release";
  mesonFlags = [
    "-Dtests=disabled"
    "-Desbuild=enabled"
    "-Dsystemd=disabled"
    "-Dpython.purelibdir=${placeholder "out"}/${pkgs.python3.sitePackages}"
  ];

  postPatch = ''
    patchShebangs tools
  '';

  doCheck = true;
  checkPhase = ''
    ../tools/diff_test --shell "$PWD/compat/trace_processor_shell" --timeout 300 -j "$NIX_BUILD_CORES" ../tests/golden/sql ../tests/golden/track_event
  '';

  meta = with pkgs.lib; {
    description = "Records what a machine does, and answers questions about it in SQL";
    license = licenses.asl20;
    platforms = platforms.linux;
    mainProgram = "orma";
  };
}
