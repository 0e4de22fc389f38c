/** What is asked: may this caller do that to this? */
export type Attributes =
  | {
      readonly resourceRequest: true;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly resourceRequest: false; readonly verb: string; readonly path: string };

/** The answer, with the reason that audit lines and reviews carry. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}
