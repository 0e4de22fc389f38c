export declare class Turns {
  get isAwaited(): boolean;
  begin(): Promise<void>;
  end(): void;
}
