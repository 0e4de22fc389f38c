import { type Difference, messageOf, sentOf } from '../difference.ts';

/** Returns the text of a response without the lists of changes in messages about immutable specs. */
function withoutChanges(text: string): string {
  return text.replaceAll(
    /(is immutable after creation[^\\"]*)\\n(?:[^"\\]|\\.)*?(?=, volumeMode:|, nodeAffinity:|, spec\.|\]?"|$)/g,
    '$1',
  );
}

/** Differences in the kinds that only virtual clusters with the full set of kinds serve. */
export const fullSetDifferences: readonly Difference[] = [
  {
    id: 'descriptions-of-columns',
    theirs: 'takes the descriptions of Table columns from its Go types',
    ours: 'has its own descriptions',
    because: 'decision 49: descriptions are not copied',
    explains: ({ path }) => /^body\.columnDefinitions\[\d+\]\.description$/.test(path),
  },
  {
    id: 'owners-of-disabled-fields',
    theirs: 'removes the fields of disabled features from pod templates and keeps the owners of these fields',
    ours: 'removes the owners too',
    because: 'decision 49: a field that is not stored has no owner',
    explains: ({ path }, { request }) =>
      request.path.includes('/podtemplates') && /\.f:template\.f:spec\..*(f:lifecycle|f:schedulingGroup)$/.test(path),
  },
  {
    id: 'protected-attributes-classes',
    theirs: 'adds a finalizer to volume attributes classes, which a controller removes',
    ours: 'adds none',
    because: 'decision 49: there are no such controllers, so the class could never be deleted',
    explains: ({ path }, { request }) =>
      request.path.includes('/volumeattributesclasses') && path.endsWith('metadata.finalizers'),
  },
  {
    id: 'protected-volumes',
    theirs: 'adds a finalizer to persistent volumes and claims, which a controller removes',
    ours: 'adds none',
    because: 'decision 49: there are no such controllers, so the object could never be deleted',
    explains: ({ path }, { request }) =>
      /\/persistentvolume(claim)?s/.test(request.path) && path.endsWith('metadata.finalizers'),
  },
  {
    id: 'long-quantities',
    theirs: 'accepts quantities of any length',
    ours: 'refuses quantities whose text, as sent or in its canonical form, has more than 128 characters',
    because: 'the time to compute with a quantity grows with its number of digits',
    explains: (_field, { request, ours }) =>
      /"[0-9]{100,}[^"]*"/.test(sentOf(request)) && /quantities must match/.test(messageOf(ours)),
  },
  {
    id: 'no-aggregation',
    theirs: 'lets clients write API services, to add the APIs of other servers',
    ours: 'refuses writes with 405 and the reason',
    because: 'decision 49: a virtual cluster serves only its own API',
    explains: ({ path }, { request, ours }) =>
      /^\/apis\/apiregistration\.k8s\.io\/v1(\/apiservices|$)/.test(request.path) &&
      (ours.status === 405 || /^body\.resources\[\d\]\.verbs/.test(path)),
  },
  {
    id: 'owners-of-api-services',
    theirs: 'records the time of the condition and the owners of the fields of API services',
    ours: 'records neither for built-in groups, whose services all virtual clusters share',
    because: 'decision 49: an unused virtual cluster must stay small',
    explains: ({ path }, { request }) =>
      request.path.includes('/apiservices/') && /managedFields|lastTransitionTime/.test(path),
  },
  {
    id: 'changes-of-volumes',
    theirs: 'shows the difference between two specs of a volume or claim, in lines, with the names of its Go fields',
    ours: 'names the fields that differ',
    because: 'decision 49: clients do not know the names of Go fields',
    explains: (_field, { theirs, ours }) =>
      theirs.status === 422 &&
      ours.status === 422 &&
      withoutChanges(JSON.stringify(theirs.body)) === withoutChanges(JSON.stringify(ours.body)),
  },
  {
    id: 'template-generation-in-tables',
    theirs: 'omits the annotation with the number of the template of a daemon set from the metadata in Tables',
    ours: 'includes the annotation',
    because: 'the metadata of an object is the same in all responses',
    explains: ({ path }, { request }) =>
      request.path.includes('/daemonsets') && /^body\.rows\[\d+\]\.object\.metadata\.annotations/.test(path),
  },
  {
    id: 'age-column-of-ip-addresses',
    theirs: 'shows the age of an IPAddress in a cell that has no column',
    ours: 'has a column for it',
    because: 'a Table must have a column for each cell',
    explains: ({ path }, { request }) =>
      request.path.includes('/ipaddresses') && path.startsWith('body.columnDefinitions[2]'),
  },
  {
    id: 'dry-runs-of-services',
    theirs:
      'returns placeholders for addresses and node ports in dry runs, and does not always find the range of an address',
    ours: 'returns free values, and checks them as in a request that is not a dry run',
    because: 'a dry run shows the result that the request would have',
    explains: (_, { request }) => request.method === 'POST' && request.path.endsWith('/services?dryRun=All'),
  },
  {
    id: 'endpoints-of-deleted-services',
    theirs: 'deletes the Endpoints of a service after the service',
    ours: 'keeps them',
    because:
      'decision 49: nothing acts on the objects; a controller of the tenant owns the Endpoints that it has created',
    explains: (_, { request }) => /\/endpoints\/deleted$/.test(request.path),
  },
  {
    id: 'printed-pod-templates',
    theirs: 'prints a changed pod template of a job with the member names of its Go types, and with all empty members',
    ours: 'prints it as JSON of the API',
    because: 'clients know only the names in the API; the field and the reason are the same',
    explains: ({ path, theirs, ours }, { request }) =>
      request.path.includes('/jobs/') &&
      /^body\.(message|details\.causes\[\d+\]\.message)$/.test(path) &&
      withoutTemplate(theirs) === withoutTemplate(ours),
  },
];

function withoutTemplate(message: unknown): string {
  return String(message).replace(/Invalid value: \{.*\}: field is immutable/s, 'Invalid value: field is immutable');
}
