/**
 * The rules of how a Kubernetes API server behaves that this one is held to, by their ids. A test that proves a rule
 * carries its id; docs/reference/conformance.md is made from the two.
 */
export const sections = [
  ['Request parsing', [['REQ', 1, 30]]],
  ['Content negotiation', [['NEG', 1, 25]]],
  ['Decoding, strictness, int64', [['DEC', 1, 25]]],
  [
    'Status object, errors, headers',
    [
      ['ERR', 1, 26],
      ['HDR', 1, 9],
    ],
  ],
  ['Object rules', [['META', 1, 24]]],
  ['Create', [['CREATE', 1, 34]]],
  [
    'Get, list, selectors, Tables',
    [
      ['GET', 1, 7],
      ['LIST', 1, 28],
      ['SEL', 1, 14],
      ['TABLE', 1, 11],
    ],
  ],
  ['Watch', [['WATCH', 1, 38]]],
  [
    'Update and subresources',
    [
      ['UPDATE', 1, 24],
      ['STATUS', 1, 8],
      ['SCALE', 1, 3],
    ],
  ],
  ['Patch', [['PATCH', 1, 27]]],
  ['Server-side apply', [['SSA', 1, 40]]],
  [
    'Delete',
    [
      ['DELETE', 1, 25],
      ['DELCOL', 1, 8],
    ],
  ],
  [
    'Owners and garbage collection',
    [
      ['OWNER', 1, 9],
      ['GC', 1, 12],
    ],
  ],
  [
    'Discovery, OpenAPI, version, health, metrics',
    [
      ['DISC', 1, 20],
      ['OAPI', 1, 16],
      ['VER', 1, 2],
      ['HEALTH', 1, 7],
      ['METRIC', 1, 6],
    ],
  ],
  ['kubectl', [['KUBECTL', 0, 35]]],
  ['Client libraries', [['CLIENT', 1, 25]]],
  ['Review APIs', [['AUTHZ', 1, 10]]],
];

/** Rules that cannot hold here, or that are decided otherwise, each with the reason. */
export const notApplicable = {
  'REQ-11': 'every path is there before the server listens',
  'NEG-14': 'metadata is served as JSON; every client that asks for protobuf takes that too',
  'NEG-21': 'optional: streamed lists are not compressed',
  'DEC-03': 'decided otherwise: a missing kind is inferred from the endpoint',
  'DEC-05': 'decided otherwise: a wrong kind is a 400, as for compiled kinds',
  'ERR-15': 'decided otherwise: a 429 is a Status too',
  'ERR-16': 'the cache of a kind is filled before the server listens',
  'ERR-17': 'no operation of this server answers ServerTimeout',
  'ERR-19': 'decided otherwise: what is not an API error is a bare InternalError, and its text stays in the log',
  'HDR-04': 'optional: there are no flow schemas',
  'HDR-06': 'optional: a 401 does not end an HTTP/2 connection; failed logins are slowed per source instead',
  'HDR-07': 'nothing configures HSTS or CORS yet',
  'META-22': 'kinds with validation rules in CEL come with custom resource definitions',
  'META-24': 'about the schemas of custom resource definitions, which this API does not serve',
  'CREATE-22': 'namespaces come and go with their project; clients cannot delete one',
  'CREATE-23': 'there are no custom resource definitions in this API',
  'CREATE-29': 'no version of this API is deprecated',
  'CREATE-33': 'describes the inside of kube-apiserver',
  'CREATE-34': 'about subresources of compiled kinds that this API does not serve',
  'LIST-28': 'the cache of a kind is filled before the server listens',
  'TABLE-09': 'about kinds of aggregated servers without columns; every kind here has columns',
  'WATCH-12': 'about servers without streamed lists; this one has them',
  'WATCH-38': 'there are no custom resource definitions in this API',
  'SCALE-01': 'no kind of this API can be scaled',
  'SCALE-02': 'no kind of this API can be scaled',
  'SCALE-03': 'no kind of this API can be scaled',
  'SSA-36': 'there is no mutating admission; what the server fills in is owned by nobody',
  'DELETE-08': 'decided otherwise: delete answers 200',
  'DELETE-25': 'about a repair feature of kube-apiserver’s storage',
  'OWNER-06': 'decided otherwise: blockOwnerDeletion is checked with a 422',
  'OWNER-07': 'decided otherwise: blockOwnerDeletion is checked with a 422',
  'OWNER-08': 'decided otherwise: blockOwnerDeletion is checked with a 422',
  'GC-10': 'the collector works inside the process and does not probe patch types',
  'GC-11': 'the collector works from an index in the store, not through the metadata client',
  'GC-12': 'a namespace goes with its project, in one step, after the project’s instances',
  'KUBECTL-25': 'RBAC kinds are not part of this API',
  'KUBECTL-26': 'no kind of this API can be scaled',
  'KUBECTL-31': 'commands that send nothing to this API',
  'CLIENT-02': 'about servers without streamed lists; this one has them',
  'CLIENT-18': 'behaviour of the Python client, which sends nothing that others do not',
  'CLIENT-19': 'behaviour of the Java client, which sends nothing that others do not',
  'CLIENT-24': 'no kind of this API can be scaled',
};
