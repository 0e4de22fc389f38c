import { chartPage } from './chart-values.mjs';
import { cliPage } from './cli.mjs';
import { conformancePage } from './conformance.mjs';
import { differencesPage } from './differences.mjs';
import { kindsPage } from './kinds.mjs';
import { loadProgram } from './load-program.mjs';
import { settingsPage } from './settings.mjs';

/** Returns the pages that are generated from the code, by path. */
export async function generatedPages() {
  const program = await loadProgram();
  return new Map([
    ['charts/flotilla/README.md', chartPage('flotilla')],
    ['charts/flotilla-agent/README.md', chartPage('flotilla-agent')],
    ['docs/reference/kinds.md', await kindsPage(program)],
    ['docs/reference/cli.md', await cliPage(program)],
    ['docs/reference/settings.md', await settingsPage(program)],
    ['docs/reference/conformance.md', conformancePage()],
    ['docs/reference/differences-from-kube-apiserver.md', differencesPage(program)],
  ]);
}
