import { page, paragraph, table } from './markdown.mjs';

/** Every way in which an answer differs from kube-apiserver's on purpose: the list that the comparison goes by. */
export function differencesPage({ differenceGroups }) {
  const count = differenceGroups.reduce((sum, [, differences]) => sum + differences.length, 0);
  return page(
    '# Differences from kube-apiserver',
    paragraph(
      'Made by `npm run docs` from the list in `test/side-by-side/differences`. The end-to-end suites send more than',
      'three thousand requests to this server and to a real kube-apiserver 1.36, about its own kinds and about custom',
      'resources of the same schemas, and compare status, headers and bodies field by field. A field that differs and is',
      `not explained by one of these ${count} fails its suite; so does one of these that no request meets any more.`,
    ),
    paragraph(
      'Rule ids and “completions” are explained in the [specification](../spec/README.md). Not compared, because no two servers have them in common: uids, times, resource versions (their',
      'order is), generated names, ages, audit ids, the groups that each server has besides.',
    ),
    differenceGroups.flatMap(([title, differences]) => [
      `## ${title}`,
      table(
        ['kube-apiserver', 'this server', 'because'],
        differences.map(({ theirs, ours, because }) => [theirs, ours, because]),
      ),
    ]),
  );
}
