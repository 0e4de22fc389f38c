/** The layout of a time with microseconds, as Go prints it in parse errors. */
const layout = '2006-01-02T15:04:05.000000Z07:00';

/** The elements of the layout in order, each with a regular expression for the text that it matches. */
const parts: readonly (readonly [name: string, form: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/],
  ['-', /^-/],
  ['02', /^\d{2}/],
  ['T', /^T/],
  ['15', /^\d{1,2}/],
  [':', /^:/],
  ['04', /^\d{2}/],
  [':', /^:/],
  ['05', /^\d{2}/],
  ['.000000', /^[.,]\d{6}/],
  ['Z07:00', /^(?:Z|[+-](?:[01]\d|2[0-4]):[0-5]\d)/],
];

/**
 * Formats a time with microseconds as the server prints it: in UTC, with six digits (rule META-14). `undefined` for
 * Go's zero time. Throws an Error with Go's message if the text is invalid. The text must have exactly six digits.
 */
export function formatMicroTime(text: string): string | undefined {
  const taken: string[] = [];
  let rest = text;
  for (const [name, form] of parts) {
    const part = form.exec(rest)?.[0];
    if (part === undefined) {
      const [shown, as] = [text, layout].map((each) => JSON.stringify(each));
      throw new Error(
        `parsing time ${shown} as ${as}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`,
      );
    }
    taken.push(part);
    rest = rest.slice(part.length);
  }
  if (rest !== '') throw unparsable(text, `extra text: ${JSON.stringify(rest)}`);
  const [year = '', , month = '', , day = '', , hour = '', , minute = '', , second = '', fraction = '', zone = ''] =
    taken;
  const beyond = outOfRange({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  });
  if (beyond !== undefined) throw unparsable(text, `${beyond} out of range`);
  const local = Date.parse(`${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:${second}Z`);
  const whole = new Date(local - offsetMinutes(zone) * 60_000).toISOString();
  // The offset can move the time beyond the years with four digits, which Go cannot represent in JSON.
  if (!/^\d{4}-/.test(whole)) throw unparsable(text, 'year out of range');
  const printed = `${whole.slice(0, 19)}.${fraction.slice(1)}Z`;
  return printed === '0001-01-01T00:00:00.000000Z' ? undefined : printed;
}

type TimeField = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

/** Returns the first field of the time that is out of range. `undefined` if there is none. */
function outOfRange({ year, month, day, hour, minute, second }: Record<TimeField, number>): TimeField | undefined {
  if (month < 1 || month > 12) return 'month';
  if (day < 1 || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) return 'day';
  if (hour > 23) return 'hour';
  if (minute > 59) return 'minute';
  return second > 59 ? 'second' : undefined;
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return zone.startsWith('-') ? -minutes : minutes;
}

function unparsable(text: string, detail: string): Error {
  return new Error(`parsing time ${JSON.stringify(text)}: ${detail}`);
}
