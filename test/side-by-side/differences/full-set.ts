import { type Difference, messageOf, sentOf } from '../difference.ts';

/** Returns the text of a response without the diffs that follow messages about immutable specs. */
function withoutChanges(text: string): string {
  return text.replaceAll(
    /(is immutable after creation[^\\"]*)\\n(?:[^"\\]|\\.)*?(?=, volumeMode:|, nodeAffinity:|, spec\.|\]?"|$)/g,
    '$1',
  );
}

/** Returns the name of the webhook whose call failed according to the message. */
function failedWebhook(message: unknown): string | undefined {
  return /failed calling webhook \\?"([^"\\]+)\\?": /.exec(String(message))?.[1];
}

/** Differences in the kinds that only virtual clusters with the full set of kinds serve. */
export const fullSetDifferences: readonly Difference[] = [
  {
    id: 'wording-of-failed-webhook-calls',
    theirs: 'reports a webhook that cannot be called in the wording of its libraries',
    ours: 'has its own wording of the reason',
    because: 'decision 53: another HTTP client is used, and services are not reachable',
    explains: ({ path, theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      failedWebhook(theirs) !== undefined &&
      failedWebhook(theirs) === failedWebhook(ours),
  },
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
    id: 'malformed-certificate-requests',
    theirs: 'names the ASN.1 structure in which a certificate signing request is malformed',
    ours: 'says only that the data is malformed',
    because: 'the message would depend on the parser; field and reason are the same',
    explains: ({ path, theirs, ours }) =>
      /^body\.(message|details\.causes\[\d+\]\.message)$/.test(path) &&
      withoutSyntaxError(theirs) === withoutSyntaxError(ours),
  },
  {
    id: 'printed-pod-templates',
    theirs:
      'prints a changed pod template of a job, or the spec or the allocation of a device claim, with the member names of its Go types, and with all empty members',
    ours: 'prints it as JSON of the API',
    because: 'clients know only the names in the API; the field and the reason are the same',
    explains: ({ path, theirs, ours }, { request }) =>
      /\/(jobs|resourceclaim(template)?s)\//.test(request.path) &&
      /^body\.(message|details\.causes\[\d+\]\.message)$/.test(path) &&
      withoutTemplate(theirs) === withoutTemplate(ours),
  },
  {
    id: 'wording-of-selector-errors',
    theirs: 'reports a wrong variable name in `cel.bind` of a device selector in the wording of its parser',
    ours: 'has its own wording',
    because: 'another parser is used; the field and the reason are the same',
    explains: ({ path, theirs, ours }, { request }) =>
      request.path.includes('/deviceclasses') &&
      /^body\.(message|details\.causes\[\d+\]\.message)$/.test(path) &&
      /compilation failed: .*simple identifiers/s.test(String(theirs)) &&
      /compilation failed: .*not an identifier/s.test(String(ours)),
  },
  {
    id: 'pods-without-nodes',
    theirs:
      'leaves a new pod without conditions, and one without further scheduling gates unchanged, until a scheduler looks at it',
    ours: 'says in the condition PodScheduled, with the reason NoNodes, that nothing runs pods on the built-in host',
    because: 'decision 52: a pod that never starts must say why',
    explains: ({ path, theirs, ours }, { request }) =>
      /\/pods(\/|\?|$)/.test(request.path) &&
      ((/\.status\.conditions(\[0\]|$)/.test(path) &&
        (JSON.stringify(ours)?.includes('NoNodes') === true || /conditions\[0\]\.(reason|message)$/.test(path))) ||
        (/cells\[2\]$/.test(path) && theirs === 'SchedulingGated' && ours === 'Pending')),
  },
  {
    id: 'changes-of-pods',
    theirs: 'shows the difference between two specs of a pod, in lines, with the names of its Go fields',
    ours: 'names the fields that differ',
    because: 'decision 52: clients do not know the names of Go fields',
    explains: (_field, { request, theirs, ours }) =>
      request.path.includes('/pods/') &&
      theirs.status === 422 &&
      ours.status === 422 &&
      withoutPodChanges(messageOf(theirs)) === withoutPodChanges(messageOf(ours)),
  },
];

function withoutPodChanges(message: string): string {
  return message.replace(/(other than `spec\.containers\[\*\]\.image`[^\n]*|may not be changed)\n.*$/s, '$1');
}

function withoutSyntaxError(message: unknown): string {
  return String(message).replace(/(asn1|x509): [^,\]]*/, 'malformed');
}

function withoutTemplate(message: unknown): string {
  return String(message).replace(/Invalid value: \{.*\}: field is immutable/s, 'Invalid value: field is immutable');
}
