/** The annotation that named the storage class of volumes and claims before there was a field. */
export const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

export const classAnnotationWarning = 'deprecated since v1.8; use "storageClassName" attribute instead';

/** The annotations that mark a default storage class. One of them is enough. */
export const defaultClassAnnotations: readonly string[] = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
