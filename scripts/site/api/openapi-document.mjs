import { mountedResources } from '../../docs/kinds.mjs';
import { loadProgram } from '../../docs/load-program.mjs';

/** Returns the OpenAPI v3 document of the management group, as a server of this version serves it. */
export async function openApiDocument(release) {
  const program = await loadProgram();
  const { GroupVersionDocuments, SharedDocuments, naming, versionInfo } = program;
  const documents = new GroupVersionDocuments({
    resources: await mountedResources(program),
    serverVersion: versionInfo({ packageVersion: release }).gitVersion,
    shared: new SharedDocuments(),
    root: '/openapi/v3',
  });
  const path = `apis/${naming.managementGroup}/v1`;
  const document = documents.find(path);
  if (document === undefined) throw new Error(`the server has no OpenAPI document for ${path}`);
  return { group: naming.managementGroup, json: document.json };
}
