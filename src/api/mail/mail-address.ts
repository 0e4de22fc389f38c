/** The longest address that a mail server accepts (RFC 5321). */
const maxAddressLength = 254;

const localPart = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
const domainLabel = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * True for one plain address such as `anna@example.com`. Quoted names, comments and lists of addresses are valid in
 * mails, but are rejected here, because with them a mail could go to an address other than the one that people see.
 */
export function isMailAddress(text: string): boolean {
  if (text.length > maxAddressLength) return false;
  const at = text.lastIndexOf('@');
  return (
    at > 0 &&
    localPart.test(text.slice(0, at)) &&
    text
      .slice(at + 1)
      .split('.')
      .every(isDomainLabel)
  );
}

/** Returns the domain of an address, in lower case. */
export function domainOfAddress(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function isDomainLabel(label: string): boolean {
  return domainLabel.test(label);
}
