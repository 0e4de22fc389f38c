// Sets the wall clock of a Node program ahead: node --import .../skewed-clock.mjs, with the seconds in
// FLOTILLA_TEST_CLOCK_AHEAD. The monotonic clock does not change.
const ahead = Number(process.env.FLOTILLA_TEST_CLOCK_AHEAD ?? 0) * 1000;
const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + ahead);
    else super(...args);
  }

  static now() {
    return RealDate.now() + ahead;
  }
}

globalThis.Date = SkewedDate;
