import { flagAt, type JsonObject, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import type { AuthzTestEnv } from './authz-test-env.ts';
import { eachOf, type Received } from './caller.ts';
import { rowOfPath } from './endpoints.ts';
import { expected, table } from './oracle/oracle.ts';
import type { Row } from './oracle/row.ts';
import { covered, type Persona } from './personas.ts';
import { describeAction, type RequestedAction } from './requested-action.ts';
import { actionsOf, requestOf } from './requests.ts';

/** One request of one persona. */
interface Cell {
  readonly persona: Persona;
  readonly row: Row;
  readonly ask: RequestedAction;
  readonly expected: boolean;
}

export interface MatrixResult {
  /** The number of results that were compared with the oracle. */
  readonly compared: number;
  /** The differences, one sentence each. */
  readonly differences: readonly string[];
}

export interface MatrixOptions {
  /** The paths that the server lists at its root. */
  readonly paths: readonly string[];
  /** True to check with access reviews too, not only with requests. */
  readonly reviews: boolean;
}

/**
 * Returns the cells of every row and persona. A row with a star in its path is tested with the matching entries of
 * `paths`.
 */
function cellsOf(personas: readonly Persona[], paths: readonly string[]): Cell[] {
  const questions = [
    ...table
      .filter(({ extent }) => extent !== 'path')
      .flatMap((row) => actionsOf(row).map((ask, nth) => ({ row, ask, nth }))),
    ...paths.flatMap((path) => {
      const row = rowOfPath(path, table);
      return row === undefined ? [] : actionsOf({ ...row, resource: path }).map((ask) => ({ row, ask, nth: 0 }));
    }),
  ];
  return personas.flatMap((persona) =>
    questions
      .filter(({ row, nth }) => persona.scopes.length === 0 || (row.only !== 'review' && (nth < 2 || canBeScoped(row))))
      .map(({ row, ask }) => ({ persona, row, ask, expected: expected(persona, row, ask) })),
  );
}

/** True for kinds whose objects a scope can distinguish. For all other kinds, two objects per scoped key are enough. */
function canBeScoped({ resource }: Row): boolean {
  return ['virtualclusterinstances', 'spaceinstances', 'projects', 'clusters', 'secrets', 'configmaps'].includes(
    resource,
  );
}

/**
 * Checks every cell with a request, and with a self review by the persona or a review of the persona by the
 * administrator.
 */
export async function checkMatrix(
  env: AuthzTestEnv,
  personas: readonly Persona[],
  options: MatrixOptions,
): Promise<MatrixResult> {
  const { paths, reviews } = options;
  const keys = await env.keys(personas);
  const snapshots = await env.snapshots();
  const differences: string[] = [];
  let compared = 0;

  const compare = (cell: Cell, allowed: boolean | undefined, by: string, answer: Received) => {
    compared++;
    if (allowed === cell.expected) return;
    const change = cell.row.change === undefined ? '' : ` (changing ${cell.row.change})`;
    const wanted = cell.expected ? 'may' : 'may not';
    differences.push(
      `${cell.persona.name} ${wanted} ${describeAction(cell.ask)}${change}; by ${by}: ${resultText(answer)}`,
    );
  };

  const users = new Map<Persona, JsonObject>();
  for (const persona of personas.filter(({ scopes }) => scopes.length === 0)) {
    users.set(persona, await identityOf(env, keys.get(persona) ?? ''));
  }

  await eachOf([...cellsOf(personas, paths).entries()], async ([index, cell]) => {
    const { persona, row, ask } = cell;
    const token = keys.get(persona) ?? '';
    if (row.only !== 'review') {
      const answer = await env.caller.send(token, requestOf(row, ask, snapshots));
      compare(cell, requestAllowed(ask, answer), 'request', answer);
    }
    if (row.only === 'request' || !reviews) return;
    // Both kinds of review run the same function, so each kind checks half of the cells.
    const user = users.get(persona);
    if (user !== undefined && index % 2 === 0) {
      const answer = await review(env, 'subjectaccessreviews', env.adminKey, { ...attributesOf(ask), ...user });
      compare(cell, reviewAllowed(answer), 'review', answer);
    } else if (covered(persona, ownReview)) {
      const answer = await review(env, 'selfsubjectaccessreviews', token, attributesOf(ask));
      compare(cell, reviewAllowed(answer), 'own review', answer);
    }
  });
  return { compared, differences: differences.sort() };
}

const ownReview: RequestedAction = {
  verb: 'create',
  group: 'authorization.k8s.io',
  resource: 'selfsubjectaccessreviews',
  subresource: '',
  project: '',
  name: '',
  path: '',
};

/**
 * A refusal is 403, or 404 where even the existence of the object is private. Returns `undefined` for a code that is
 * neither permission nor refusal, which is always wrong.
 */
function requestAllowed(ask: RequestedAction, { code }: Received): boolean | undefined {
  if (code === 403) return false;
  if (code === 404 && ask.resource === 'ownedaccesskeys') return false;
  return code === 401 || code === 429 || (code >= 500 && code !== 501) ? undefined : true;
}

function reviewAllowed({ code, text }: Received): boolean | undefined {
  return code === 201 ? flagAt(JSON.parse(text) as JsonValue, 'status', 'allowed') : undefined;
}

function resultText({ code, text }: Received): string {
  if (!text.startsWith('{')) return `${code} ${text.slice(0, 100)}`;
  const answer = JSON.parse(text) as JsonValue;
  return `${code} ${textAt(answer, 'message') || textAt(answer, 'status', 'reason') || textAt(answer, 'kind')}`;
}

function attributesOf({ verb, group, resource, subresource, project, name, path }: RequestedAction): JsonObject {
  if (path !== '') return { nonResourceAttributes: { verb, path } };
  const namespace = project === '' ? '' : projectNamespace(project);
  const object = resource === 'namespaces' && name !== '' ? projectNamespace(name) : name;
  return { resourceAttributes: { verb, group, version: 'v1', resource, subresource, namespace, name: object } };
}

async function review(env: AuthzTestEnv, plural: string, token: string, spec: JsonObject): Promise<Received> {
  const path = `/kubernetes/management/apis/${plural.startsWith('self') ? 'authorization.k8s.io' : managementGroup}/v1/${plural}`;
  return await env.caller.send(token, { method: 'POST', path, body: { spec } });
}

/** Returns the identity of the key as the server sees it, to use it as the subject of a review. */
async function identityOf(env: AuthzTestEnv, token: string): Promise<JsonObject> {
  const path = '/kubernetes/management/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { text } = await env.caller.send(token, { method: 'POST', path, body: {} });
  const info = objectAt(JSON.parse(text) as JsonValue, 'status', 'userInfo') ?? {};
  return { user: info.username ?? '', groups: info.groups ?? [] };
}
