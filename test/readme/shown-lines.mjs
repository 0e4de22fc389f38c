import { readFileSync } from 'node:fs';

/** Returns the lines of a file without the parts that differ between runs or between kubectl versions. */
function linesOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .map((line) =>
      line
        .replace(/ (from \S+ namespace)$/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .map((line) => line.replace(/\b\d+m?s$/, '(age)'))
    .filter((line) => line !== '');
}

const [shown, printed] = process.argv.slice(2).map(linesOf);
let at = 0;
for (const line of shown) {
  const found = printed.indexOf(line, at);
  if (found < 0) {
    console.error(`the README shows a line that was not printed there: ${line}`);
    process.exit(1);
  }
  at = found + 1;
}
