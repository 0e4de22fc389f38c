const column = (name, path, type = 'string') => ({ name, type, path });

/**
 * Defines virtual cluster instances as a custom resource with the names, schema, selectable fields and columns that
 * Flotilla's kind has.
 */
export function instanceDefinition({ virtualClusterInstanceKind, customResourceDefinition }) {
  return customResourceDefinition({
    ...virtualClusterInstanceKind,
    hasStatus: true,
    columns: [
      column('Status', 'status.phase'),
      column('Cluster', 'spec.clusterRef.cluster'),
      column('Template', 'spec.templateRef.name'),
      column('Version', 'status.kubernetesVersion'),
      column('Owner', 'spec.owner.user'),
      column('Age', 'metadata.creationTimestamp', 'date'),
    ],
  });
}
