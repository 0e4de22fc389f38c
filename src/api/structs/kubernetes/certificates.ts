/**
 * The structs of k8s.io/api/certificates/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const certificatesStructs = `
CertificateSigningRequest# metadata:1:meta.ObjectMeta spec!:2:CertificateSigningRequestSpec status:3:CertificateSigningRequestStatus
CertificateSigningRequestCondition type!:1:string status!:6:string reason:2:string message:3:string lastUpdateTime:4:time lastTransitionTime:5:time
CertificateSigningRequestSpec request!:1:bytes signerName!:7:string expirationSeconds:8:*int32 usages:5:[]string~atomic username:2:string uid:3:string groups:4:[]string~atomic extra:6:{}strings
CertificateSigningRequestStatus conditions:1:[]CertificateSigningRequestCondition~map(type) certificate:2:bytes
`;
