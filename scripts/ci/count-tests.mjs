// Adds up the JSON reports of all vitest runs. A skipped test is a failure: CI installs everything that tests need.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Characters per failure message. The output of the suite contains the whole message. */
const maxMessageLength = 1000;
const folder = process.argv[2];
const total = { passed: 0, failed: 0, skipped: 0 };
for (const name of readdirSync(folder).sort()) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
  console.log(
    `${name.replace('.json', '')}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`,
  );
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') continue;
      console.log(`  ${test.status}: ${test.fullName} (${relative('.', file.name)})`);
      for (const message of test.failureMessages ?? []) console.log(`    ${message.slice(0, maxMessageLength)}`);
    }
  }
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += skipped;
}
if (total.skipped > 0) console.log(`${total.skipped} tests were skipped; CI does not allow skipped tests`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.skipped === 0 && total.passed > 0 ? 0 : 1;
