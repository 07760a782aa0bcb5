const PAIRS =
  'af/afr ak/aka am/amh ar/ara az/aze be/bel bn/ben bg/bul ca/cat cs/ces da/dan de/deu el/ell en/eng ' +
  'eo/epo et/est fi/fin fr/fra gu/guj he/heb hi/hin hr/hrv hu/hun hy/hye id/ind it/ita jv/jav ja/jpn ' +
  'kn/kan ka/kat km/khm ko/kor la/lat lv/lav lt/lit ml/mal mr/mar mk/mkd my/mya ne/nep nl/nld nb/nob ' +
  'or/ori pa/pan fa/pes pl/pol pt/por ro/ron ru/rus si/sin sk/slk sl/slv sn/sna es/spa sr/srp sv/swe ' +
  'ta/tam te/tel tl/tgl th/tha tk/tuk tr/tur uk/ukr ur/urd uz/uzb vi/vie yi/yid zh/zho zu/zul';

const pairs = PAIRS.split(' ').map((pair) => pair.split('/') as [string, string]);
const short = pairs.map(([two]) => two);
const long = [...pairs.map(([, three]) => three), 'cmn'];

/** The languages that can be named, by two letters and by three, in the order of messages. */
export const LOCALES: readonly string[] = [...short, ...long];

const sorted = [...short.toSorted(), ...long.toSorted()].join(', ');

/** Why a language of a query string is refused: the words are those of a plain list. */
export function unsupportedLocale(text: string): string {
  return `Unsupported locale \`${text}\`, expected one of ${sorted}`;
}
