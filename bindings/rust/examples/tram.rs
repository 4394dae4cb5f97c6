//! cargo run --example tram FILE
orma::category!(TRAM, "tram", "Trams and their works");

fn ride(stop: u32, doors: &orma::Track, riders: &orma::Track) {
    let _slice = orma::slice!(TRAM, "ride", stop = stop, late = stop > 1, share = 0.5, at = String::from("quay"));
    doors.state(&TRAM, "open");
    riders.set(&TRAM, 10 + i64::from(stop));
    doors.state(&TRAM, "closed");
}

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).expect("the file to write");
    TRAM.register();
    let recording = orma::Recording::start(path)?;
    let (line, doors, riders) = (orma::Track::new("line 4", 0), orma::Track::states("doors"), orma::Track::counter("riders"));
    {
        let _day = orma::Slice::begin_on(&TRAM, &line, "day");
        for stop in 0..3 {
            ride(stop, &doors, &riders);
        }
        doors.state(&TRAM, "");
        orma::instant(&TRAM, "bell", &[orma::Arg::flow(7)]);
        orma::instant(&TRAM, "echo", &[orma::Arg::flow_end(7)]);
    }
    std::thread::spawn(|| orma::instant!(TRAM, "elsewhere", number = -5)).join().expect("no panic");
    recording.stop()
}
