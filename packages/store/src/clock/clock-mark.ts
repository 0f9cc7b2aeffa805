/** The mark of the clock: how far time has come in a database, so that nobody begins behind it after a clock was set back. */
import { detach } from '../detach.ts';
import type { Engine } from '../engine.ts';

/** A row of its own in the table of the write probe. */
const MARK_ID = 2;
const WRITE_EVERY_MS = 10_000;
/** A new database has a mark almost as soon as it has anything that waits. */
const FIRST_LOOK_EVERY_MS = 250;
/** Several processes share one mark. */
const SHARED_MS = 5_000;
/** A clock that was so far ahead was wrong, and its mark with it. */
const MOST_AHEAD_MS = 24 * 3_600_000;

/** Brings the clock up to the mark, and moves the mark on from then; `close` moves it for the last time. */
export async function followMark(
  engine: Engine,
  onError: (error: unknown) => void,
): Promise<{ close: () => Promise<void> }> {
  const { clock } = engine;
  const mark = await read(engine);
  const aheadMs = mark - clock.now();
  if (aheadMs <= MOST_AHEAD_MS) clock.catchUp(mark);
  else
    onError(
      new Error(
        `The clock is ${Math.round(aheadMs / 3_600_000)} hours behind the time that this database has seen. Check it: what was put off until then waits until then.`,
      ),
    );
  // A process that wrote nothing leaves nothing that could wait.
  const move = async (): Promise<void> => {
    if (!engine.hasWritten()) return;
    // A database that is away is reported by those who need it, and the next mark comes soon.
    await write(engine, clock.now()).catch(() => undefined);
  };
  const moveEvery = (everyMs: number, work: () => void) => setInterval(work, everyMs).unref();
  let timer = moveEvery(FIRST_LOOK_EVERY_MS, () => {
    if (!engine.hasWritten()) return;
    clearInterval(timer);
    timer = moveEvery(WRITE_EVERY_MS, () => detach(move(), onError));
    detach(move(), onError);
  });
  return {
    async close() {
      clearInterval(timer);
      await move();
    },
  };
}

async function read({ db }: Engine): Promise<number> {
  const row = await db
    .selectFrom('parley_probe')
    .select('at')
    .where('id', '=', MARK_ID)
    .executeTakeFirst()
    // Before the first migration there is none; a database that cannot be read says so to whoever uses it.
    .catch(() => undefined);
  return Number(row?.at ?? 0);
}

async function write({ db }: Engine, at: number): Promise<void> {
  await db
    .insertInto('parley_probe')
    .values({ id: MARK_ID, at })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ at })
        .where((row) =>
          row.or([
            row('parley_probe.at', '<', at - SHARED_MS),
            row('parley_probe.at', '>', at + MOST_AHEAD_MS),
          ]),
        ),
    )
    .execute();
}
