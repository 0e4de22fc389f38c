import { accessKeyEnd, accessKeyPhase } from '../../../src/api/management/access-key-life.ts';
import { ageText } from '../../../src/api/table.ts';
import { flagAt, textAt } from '../../../src/lib/json-path.ts';
import { columnText } from '../../data/fleet-counts.ts';
import { projectColumn } from '../../data/list-columns.ts';
import type { RowsSnapshot } from '../../data/live-rows.ts';
import type { Row } from '../../data/table-rows.ts';

/** Where somebody goes to do something about it. */
export type Place =
  | { readonly page: 'instance'; readonly project: string; readonly name: string }
  | { readonly page: 'cluster'; readonly name: string }
  | { readonly page: 'key'; readonly name: string };

/** Something that does not come right by itself: what, why, and what to do. */
export interface Matter {
  readonly key: string;
  readonly urgency: 'now' | 'soon';
  readonly what: string;
  readonly why: string;
  readonly next: string;
  readonly place: Place;
}

const minute = 60_000;
const day = 86_400_000;

/** What takes longer than this is waiting for somebody. */
const stuckAfter = 5 * minute;
/** So long before its end a key is worth a word. */
const keyNotice = 7 * day;

type Seen = Pick<RowsSnapshot, 'columns' | 'rows'>;

export interface FleetSeen {
  readonly instances: Seen;
  /** With their objects. */
  readonly clusters: Seen;
  /** With their objects. */
  readonly keys: Seen;
}

export function mattersOf({ instances, clusters, keys }: FleetSeen, now: number): readonly Matter[] {
  const matters = [
    ...instanceMatters(instances, now),
    ...clusters.rows.flatMap((row) => clusterMatter(row)),
    ...keys.rows.flatMap((row) => keyMatter(row, now)),
  ];
  return matters.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}

function rank({ urgency }: Matter): number {
  return urgency === 'now' ? 0 : 1;
}

function instanceMatters(instances: Seen, now: number): Matter[] {
  const status = columnText(instances, 'Status');
  const message = columnText(instances, 'Message');
  return instances.rows.flatMap((row): Matter[] => {
    const { name = '', creationTimestamp = '', deletionTimestamp } = row.metadata;
    const project = projectColumn.text(row);
    const common = {
      key: `instance ${row.key}`,
      place: { page: 'instance', project, name } as const,
      urgency: 'now' as const,
    };
    const phase = status(row);
    if (phase === 'Failed') {
      const next = 'Open it: its conditions say what is missing. It goes on by itself once that is there.';
      return [{ ...common, what: `${name} has failed`, why: message(row), next }];
    }
    const leaving = deletionTimestamp === undefined ? Number.NaN : now - Date.parse(deletionTimestamp);
    if (leaving > stuckAfter) {
      const next = 'Open it to see what is still there. It is gone when its host says that nothing is left.';
      return [{ ...common, what: `${name} is being deleted for ${ageText(leaving)}`, why: message(row), next }];
    }
    const waiting = now - Date.parse(creationTimestamp);
    if ((phase === 'Pending' || phase === '') && waiting > stuckAfter) {
      const next = 'Open it to see which step it waits for.';
      return [{ ...common, what: `${name} is not ready after ${ageText(waiting)}`, why: message(row), next }];
    }
    return [];
  });
}

function clusterMatter({ object, metadata: { name = '' } }: Row): Matter[] {
  const isOffline = textAt(object, 'status', 'phase') !== '' && !flagAt(object, 'status', 'online');
  if (!isOffline) return [];
  const wasThere = textAt(object, 'status', 'kubernetesVersion') !== '';
  return [
    {
      key: `cluster ${name}`,
      urgency: 'now',
      what: wasThere ? `The cluster ${name} cannot be reached` : `The cluster ${name} is not connected yet`,
      why: textAt(object, 'status', 'message'),
      next: wasThere
        ? 'Its virtual clusters cannot be changed until it is back. Look at its network and at its credentials.'
        : 'Nothing can run on it until then. Its page, under Connection, has what to do.',
      place: { page: 'cluster', name },
    },
  ];
}

/** Logins end by themselves and are opened anew by whoever needs one. */
function keyMatter({ object, metadata: { name = '' } }: Row, now: number): Matter[] {
  const end = accessKeyEnd(object);
  if (textAt(object, 'spec', 'type') === 'Login' || end === undefined || flagAt(object, 'spec', 'disabled')) return [];
  // Whoever works with it keeps it alive.
  if (flagAt(object, 'spec', 'ttlAfterLastActivity')) return [];
  const shown = textAt(object, 'spec', 'displayName') || name;
  const place = { page: 'key', name } as const;
  if (accessKeyPhase(object, now) === 'Expired') {
    const why = `It ended ${ageText(now - end)} ago and opens nothing any more.`;
    return [
      {
        key: `key ${name}`,
        urgency: 'soon',
        what: `The key ${shown} has expired`,
        why,
        next: 'Delete it, or make another in its place.',
        place,
      },
    ];
  }
  // A key that is made for a few days is not news on its first day.
  const life = end - Date.parse(object.metadata.creationTimestamp ?? '');
  if (end - now > Math.min(keyNotice, life / 4)) return [];
  const why = `It ends in ${ageText(end - now)}.`;
  return [
    {
      key: `key ${name}`,
      urgency: 'soon',
      what: `The key ${shown} expires`,
      why,
      next: 'Make a new one and hand it to whoever uses it.',
      place,
    },
  ];
}
