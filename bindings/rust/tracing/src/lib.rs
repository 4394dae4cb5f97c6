//! A layer for the crate `tracing`: spans are slices, on a track each since they may wait and go on elsewhere;
//! events are instants.
use std::fmt;

use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::Layer;

orma::category!(pub TRACING, "tracing", "Spans and events of the crate tracing");

/// `tracing_subscriber::registry().with(orma_tracing::OrmaLayer).init();`
pub struct OrmaLayer;

/// The fields as one text: their names are not known beforehand.
#[derive(Default)]
struct Text(String, String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        use fmt::Write;
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        } else {
            let _ = write!(self.1, "{}{}={value:?}", if self.1.is_empty() { "" } else { " " }, field.name());
        }
    }
}

struct Open {
    track: orma::Track,
    name: &'static str,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for OrmaLayer {
    fn on_new_span(&self, attrs: &Attributes<'_>, id: &Id, ctx: Context<'_, S>) {
        if let Some(span) = ctx.span(id) {
            let track = orma::Track::new(attrs.metadata().target(), id.into_u64());
            span.extensions_mut().insert(Open { track, name: attrs.metadata().name() });
        }
    }

    fn on_enter(&self, id: &Id, ctx: Context<'_, S>) {
        if let Some(span) = ctx.span(id) {
            if let Some(open) = span.extensions().get::<Open>() {
                open.track.begin(&TRACING, open.name);
            }
        }
    }

    fn on_exit(&self, id: &Id, ctx: Context<'_, S>) {
        if let Some(span) = ctx.span(id) {
            if let Some(open) = span.extensions().get::<Open>() {
                open.track.end(&TRACING);
            }
        }
    }

    fn on_event(&self, event: &Event<'_>, _ctx: Context<'_, S>) {
        if TRACING.enabled() {
            let mut text = Text::default();
            event.record(&mut text);
            let name = if text.0.is_empty() { event.metadata().name() } else { &text.0 };
            orma::instant(&TRACING, name, &[orma::Arg::new("fields\0", &text.1)]);
        }
    }
}
