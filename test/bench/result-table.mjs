import { figures, timesBetter } from './figures.mjs';

/** A number for readers: fewer digits for large values. */
export function written(figure, value) {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const { digits } = figures[figure];
  const shown = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? Math.min(1, digits) : digits;
  return value.toLocaleString('en', { minimumFractionDigits: shown, maximumFractionDigits: shown });
}

export function writtenTimes(times) {
  if (times === undefined) return '–';
  return `${times.toLocaleString('en', { maximumSignificantDigits: times >= 100 ? 3 : 2 })}×`;
}

/** Returns our value alone if there is no other side, otherwise both values and the factor. */
function cell(figure, ours, theirs) {
  const mine = ours?.[figure];
  const other = theirs?.[figure];
  if (mine === undefined && other === undefined) return '';
  if (ours === undefined || theirs === undefined) return written(figure, mine ?? other);
  const both = `${written(figure, mine)} : ${written(figure, other)}`;
  return figures[figure].isCompared === false ? both : `${both} (${writtenTimes(timesBetter(figure, mine, other))})`;
}

/** The rows as a table of texts: a heading and a line for each, without empty columns. */
export function resultTable(rows) {
  const names = Object.keys(figures).filter((figure) =>
    rows.some(({ ours, theirs }) => ours?.[figure] !== undefined || theirs?.[figure] !== undefined),
  );
  return {
    heading: ['operation', ...names.map((figure) => figures[figure].title)],
    lines: rows.map(({ operation, ours, theirs }) => [operation, ...names.map((figure) => cell(figure, ours, theirs))]),
  };
}

/** Every figure in which our side is worse than the other side, the worst first. */
export function losses(rows) {
  return rows
    .flatMap(({ operation, ours, theirs }) =>
      Object.keys(figures)
        .filter((figure) => figures[figure].isCompared !== false)
        .map((figure) => ({
          operation,
          figure,
          ours: ours?.[figure],
          theirs: theirs?.[figure],
          times: timesBetter(figure, ours?.[figure], theirs?.[figure]),
        })),
    )
    .filter(({ times }) => times !== undefined && times < 1)
    .sort((one, other) => one.times - other.times);
}
