/** The look of a name: two names that a reader could take for each other have the same one. */

// Whatever shows no more than a blank: fillers that count as letters, joiners, variation selectors, tags.
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}]/gu;

/** Each word: a Latin letter, then the signs that look like it. Read before upper case becomes lower case. */
const AS_UPPER = table(`
  AΑАᎪꓮ BΒВᏴꓐ CСᏟꓚ DᎠꓓ EΕЕᎬꓰ FꓝϜ GᏀꓖԌ HΗНᎻꓧ IΙІӀᏆꓲ JЈᎫꓙ KΚКᏦꓗ LᏞꓡ MΜМᎷꓟ NΝꓠ
  OΟОꓳՕ PΡРᏢꓑ QԚ RᎡᏒꓣ SЅᏚꓢՏ TΤТᎢꓔ UꓴՍ VᏙꓦ WᎳꓪԜ XΧХꓫ YΥУꓬҮ ZΖᏃꓜ`);
const AS_LOWER = table(`
  aаαɑᴀ@4 bвьʙƅ cсᴄϲ dԁᴅđɗ eеεᴇєɛ3 fꜰƒ gɡɢց hнһʜħհ jјᴊϳյ kкκᴋĸ mмᴍ nпηɴոŋ
  oоοᴏσօø0 pрρᴘ qԛզ rгʀɾ sѕꜱʂ$5 tтτᴛŧ7 uυսᴜʋμц vνᴠѵ wѡωᴡԝ xхχ yуγʏүч zᴢʐ
  liıɪɩιіӏʟł1|!ǀ∣`);
/** Two signs that look like one. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['rn', 'm'],
  ['vv', 'w'],
  ['cl', 'd'],
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
];

function table(words: string): ReadonlyMap<string, string> {
  const pairs = words
    .trim()
    .split(/\s+/)
    .flatMap(([letter = '', ...alike]) => alike.map((sign) => [sign, letter] as const));
  return new Map(pairs);
}

function read(text: string, alike: ReadonlyMap<string, string>): string {
  return Array.from(text, (sign) => alike.get(sign) ?? letterIn(sign)).join('');
}

// Letters in boxes and circles that Unicode does not take apart; flags are made of the first of them.
const BOXED = [0x1_f1_e6, 0x1_f1_50, 0x1_f1_70];

function letterIn(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const first = BOXED.find((start) => code >= start && code < start + 26);
  return first === undefined ? sign : String.fromCodePoint(0x41 + code - first);
}

/** A name as a reader sees it: case, width, accents, blanks, signs and look-alike letters do not tell two apart. */
export function lookOf(name: string): string {
  const plain = read(name.normalize('NFKD').replace(UNSEEN, ''), AS_UPPER).toLowerCase();
  const letters = read(plain.normalize('NFKD'), AS_LOWER).replace(/[^\p{L}\p{N}]+/gu, '');
  return PAIRS.reduce((text, [two, one]) => text.replaceAll(two, one), letters);
}

/** A name without what nobody sees. */
export function visiblePart(name: string): string {
  return name.replace(UNSEEN, '');
}
