export { apiVersionOf, parseApiVersion } from './api-version.ts';
export { byteLength } from './byte-length.ts';
export { isDateTime, isKnownFormat, matchesFormat } from './format.ts';
export { formatIp, type IpAddress, maskIp, parseIp } from './ip-address.ts';
export {
  dns1035LabelFaults,
  generateNameFaults,
  labelFaults,
  labelValueFaults,
  type NameLimits,
  nameFaults,
  pathSegmentFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from './names.ts';
export {
  canonicalQuantity,
  formatQuantity,
  isWholeQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityFormat,
  quantityOfCount,
} from './quantity.ts';
export { type Timestamp, timestamp } from './timestamp.ts';
