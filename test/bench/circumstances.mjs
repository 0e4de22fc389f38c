import { code, table } from '../../scripts/docs/markdown.mjs';
import { median } from './figures.mjs';

/** A table of the circumstances of a run. `measured` names the programs; `rows` describe what is special about the run. */
export function circumstances(result, measured, rows) {
  const { date, command, scale, seconds, machine } = result;
  return table(
    ['', ''],
    [
      ['date', `${date.slice(0, 16).replace('T', ' ')} UTC, duration ${Math.round(seconds / 60)} minutes`],
      ['command', code(command)],
      ...(scale === 1
        ? []
        : [['scale', `${scale} of the full size; the comparison with the targets is only an indication`]]),
      ['measured', [`Flotilla ${machine.version} (${machine.commit})`, ...measured].join(', ')],
      ['machine', `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, ${machine.kernel}`],
      ...disturbance(result),
      ['disk', `${machine.fileSystem}; a write with fdatasync takes ${machine.syncMilliseconds.toFixed(2)} ms`],
      ['Node', machine.node],
      ...rows,
    ],
  );
}

/** Returns the CPU share of other programs during the run. Measurements from a busy machine mean little. */
function disturbance({ rows, sides }) {
  const parts = Object.keys(sides).flatMap((side) => {
    const shares = rows.map((row) => row[side]?.disturbed).filter((share) => share !== undefined);
    return shares.length === 0 ? [] : [`${median(shares).toFixed(0)} % while ${sides[side]} was measured`];
  });
  return parts.length === 0 ? [] : [['other work', `CPU share of other programs: ${parts.join(', ')} (median)`]];
}
