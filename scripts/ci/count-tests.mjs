// Adds up the JSON reports of all vitest runs. A skipped test is a failure: CI installs everything that tests need.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The maximum number of characters per failure message. The output of the suite contains the whole message. */
const maxMessageLength = 1000;
const folder = process.argv[2];
const total = { passed: 0, failed: 0, skipped: 0 };
const passedOnRetry = [];
for (const name of readdirSync(folder).sort()) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
  console.log(
    `${name.replace('.json', '')}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`,
  );
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      const messages = (test.failureMessages ?? []).map((message) => `    ${message.slice(0, maxMessageLength)}`);
      const title = `${test.fullName} (${relative('.', file.name)})`;
      if (test.status !== 'passed') console.log([`  ${test.status}: ${title}`, ...messages].join('\n'));
      else if (messages.length > 0)
        passedOnRetry.push([`  ${name.replace('.json', '')}: ${title}`, ...messages].join('\n'));
    }
  }
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += skipped;
}
if (passedOnRetry.length > 0) {
  console.log(`passed only when repeated: ${passedOnRetry.length}`);
  for (const test of passedOnRetry) console.log(test);
}
if (total.skipped > 0) console.log(`${total.skipped} tests were skipped; CI does not allow skipped tests`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.skipped === 0 && total.passed > 0 ? 0 : 1;
