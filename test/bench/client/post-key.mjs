/** Creates an access key of the caller and returns its token. */
export async function postKey(client, target, name) {
  const object = {
    apiVersion: target.apiVersion,
    kind: 'OwnedAccessKey',
    metadata: { name },
    spec: { displayName: `Bench ${name}` },
  };
  const body = Buffer.from(JSON.stringify(object));
  const path = `${target.management}/ownedaccesskeys`;
  const answer = await client.send(201, 'POST', path, { body, media: { contentType: 'application/json' } });
  return JSON.parse(answer.body).spec.key;
}
