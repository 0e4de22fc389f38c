import { writeSync } from 'node:fs';
import { testFleet, withBorrowedPlane } from '../../src/controlplane/fleet/fleet.fixture.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { resourceKey } from '../../src/registry/rows/rows.ts';
import {
  newWidget,
  serverContext,
  testDeleteOptions,
  testWriteOptions,
  widgetResource,
} from '../../src/registry/widgets.fixture.ts';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';

const writers = 8;
/** A small memory budget: most planes are unloaded as soon as they are released. */
const memoryBudget = 200_000;

/** Writes the line to the pipe before the next step begins, so no acknowledgment is lost when the process is killed. */
function printLine(...fields: readonly string[]): void {
  writeSync(1, `${fields.join(' ')}\n`);
}

const [directory = '', round = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory });
const { fleet } = testFleet({ store, clock: systemClock, memoryBudget });
await fleet.resumeRemovals();

/** Creates one plane after another, writes objects in each, and removes two out of three planes. */
async function work(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `vc-${round}-${writer}-${count}`;
    await fleet.create(id);
    printLine('born', id);
    for (const name of ['a', 'b', 'c']) {
      await withBorrowedPlane(fleet, id, (plane) => {
        const created = newWidget(name, { metadata: { finalizers: name === 'c' ? ['x.example/f'] : [] } });
        return kindOf(plane).verbs.create(serverContext(), created, testWriteOptions);
      });
      printLine('has', id, name);
    }
    await withBorrowedPlane(fleet, id, (plane) =>
      kindOf(plane).verbs.delete(serverContext(), 'first', testDeleteOptions()),
    );
    printLine('lost', id, 'first');
    // A graceful deletion adds work to the maintenance queue.
    await withBorrowedPlane(fleet, id, (plane) =>
      kindOf(plane).verbs.delete(serverContext(), 'b', testDeleteOptions({ gracePeriodSeconds: 3_600 })),
    );
    if (count % 3 === 2) continue;
    printLine('removing', id);
    await fleet.remove(id);
    printLine('removed', id);
  }
}

function kindOf(plane: { readonly kinds: ReadonlyMap<string, import('../../src/registry/kind-store.ts').KindStore> }) {
  const kind = plane.kinds.get(resourceKey(widgetResource));
  if (kind === undefined) throw new Error('no widgets');
  return kind;
}

await Promise.all(Array.from({ length: writers }, (_, writer) => work(writer)));
