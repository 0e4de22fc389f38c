import { Fragment } from 'react';

/** The name of a kind, which can wrap between its words. */
export function KindName({ name }: { readonly name: string }) {
  return name.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the order of the words never changes.
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {word}
    </Fragment>
  ));
}
