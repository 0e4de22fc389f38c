/** The amounts at full scale; a smaller scale reduces everything that takes long. */
export function sizesAt(scale) {
  const some = (count, least = 1) => Math.max(least, Math.round(count * scale));
  return {
    objects: some(10_000, 50),
    manyObjects: some(100_000, 100),
    creators: [1, 10, 64, 256].filter((clients) => scale >= 0.05 || clients <= 64),
    createSeconds: Math.max(0.5, 8 * scale),
    /** The limit for one measurement; otherwise a fast server would fill the disk for all that follow. */
    mostCreates: some(25_000, 100),
    /** Enough for the servers to compile their hot code: with fewer the measurement includes the compiler. */
    warmUps: scale >= 0.1 ? 3000 : some(3000, 20),
    keys: some(2000, 20),
    manyKeys: some(100_000, 100),
    /** Each causes a failed authentication, and a source with more than twenty is slowed down. */
    revokedKeys: 15,
    gets: some(20_000, 100),
    gotObjects: some(1000, 20),
    listRepeats: Math.max(2, Math.round(10 * Math.min(1, scale * 2))),
    /** The lists of `gotObjects` and the single writes to a watched object, for each way to store objects. */
    smallLists: some(200, 5),
    pacedWrites: some(200, 10),
    watches: 25,
    pacedObjects: some(500, 10),
    watchers: some(1000, 20),
    fanOutWrites: some(100, 5),
    /** Enough single requests for a p99. */
    fairSeconds: Math.max(1, 5 * scale),
    /** Virtual clusters: unused ones, those whose first response is measured, those of a round. */
    planes: some(10_000, 50),
    askedPlanes: some(500, 10),
    planeWarmUps: some(300, 10),
    roundPlanes: some(1000, 20),
    planeRounds: scale >= 0.1 ? 10 : 3,
    /** Virtual clusters in use at the same time: the measured seconds, and the objects of each list. */
    busySeconds: Math.max(1, 10 * scale),
    listedObjects: 100,
    /** Instances whose whole lifecycle is measured. */
    lives: some(10_000, 50),
    /** Agents without use, and the bytes of one response through a tunnel. */
    idleAgents: some(500, 10),
    transferBytes: some(512 * 1024 * 1024, 8 * 1024 * 1024),
    transferRounds: scale >= 0.1 ? 5 : 1,
    consoleViews: scale >= 0.1 ? 5 : 1,
    starts: scale >= 0.1 ? 3 : 1,
    idleSeconds: Math.max(0.5, 5 * Math.min(1, scale * 2)),
    /** The time limit for operations on every object: later ones are not counted. */
    mostSeconds: 60,
  };
}
