import { writeSync } from 'node:fs';
import { testFleet } from '../../src/controlplane/fleet/fleet.fixture.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { resourceKey } from '../../src/registry/rows.ts';
import { deleting, system, widget, widgets, writing } from '../../src/registry/widgets.fixture.ts';
import { openEmbeddedStore } from '../../src/store/embedded.ts';

const writers = 8;
/** Little memory: most planes are put away as soon as they are let go. */
const memoryBudget = 200_000;

/** Every line is in the pipe before the next step begins, so what was acknowledged is known whenever the kill comes. */
function say(...words: readonly string[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}

const [directory = '', round = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory });
const { fleet } = testFleet({ store, clock: systemClock, memoryBudget });
await fleet.resume();

/** Makes plane after plane, works in it, and removes two of three. */
async function work(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `vc-${round}-${writer}-${count}`;
    await fleet.create(id);
    say('born', id);
    for (const name of ['a', 'b', 'c']) {
      await fleet.use(id, (plane) => {
        const created = widget(name, { metadata: { finalizers: name === 'c' ? ['x.example/f'] : [] } });
        return kindOf(plane).verbs.create(system(), created, writing);
      });
      say('has', id, name);
    }
    await fleet.use(id, (plane) => kindOf(plane).verbs.delete(system(), 'first', deleting()));
    say('lost', id, 'first');
    // One that waits leaves work for upkeep.
    await fleet.use(id, (plane) => kindOf(plane).verbs.delete(system(), 'b', deleting({ gracePeriodSeconds: 3_600 })));
    if (count % 3 === 2) continue;
    say('removing', id);
    await fleet.remove(id);
    say('removed', id);
  }
}

function kindOf(plane: { readonly kinds: ReadonlyMap<string, import('../../src/registry/kind-store.ts').KindStore> }) {
  const kind = plane.kinds.get(resourceKey(widgets));
  if (kind === undefined) throw new Error('no widgets');
  return kind;
}

await Promise.all(Array.from({ length: writers }, (_, writer) => work(writer)));
