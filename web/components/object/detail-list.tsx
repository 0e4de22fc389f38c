import { Fragment, type ReactNode } from 'react';
import classes from '../detail-list.module.css';

/** A list of names and values. Empty values are omitted. */
export function DetailList({ items }: { readonly items: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={classes.list}>
      {Object.entries(items).map(([name, value]) =>
        value === undefined || value === null || value === '' ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}
