/** What has no attributes of its own. */
type Leaf = string | number | boolean | bigint | symbol | null | undefined | Date;

/** The value of an attribute as conditions see it: of a list, its elements. */
type Element<V> = V extends readonly (infer Item)[] ? Element<Item> : V;

/** Whether nothing is known of the attributes of documents, or not all is. */
type IsOpen<T> = string extends keyof T ? true : [keyof T] extends [never] ? true : false;

/** One level less; ends the types of documents that hold themselves. */
type Below = [never, 0, 1, 2, 3];

/**
 * The attributes of a document type as the engine names them: `title`, and with dots what lies in
 * objects and in lists of objects, `cast.name`. Any text for documents of no known type.
 */
export type Attribute<T, Depth extends number = 4> = [Depth] extends [never]
  ? never
  : IsOpen<T> extends true
    ? string
    : { [Name in keyof T & string]-?: Name | Inside<Name, T[Name], Below[Depth]> }[keyof T &
        string];

type Inside<Name extends string, V, Depth extends number> = unknown extends V
  ? `${Name}.${string}`
  : Element<NonNullable<V>> extends infer Inner
    ? Inner extends Leaf
      ? never
      : `${Name}.${Attribute<Inner, Depth>}`
    : never;

/** The value that an attribute of a document type has, or that each element of its list has. */
export type AttributeValue<T, Path extends string> =
  IsOpen<T> extends true
    ? unknown
    : Path extends keyof T
      ? Element<NonNullable<T[Path]>>
      : Path extends `${infer Head}.${infer Rest}`
        ? Head extends keyof T
          ? AttributeValue<Element<NonNullable<T[Head]>>, Rest>
          : unknown
        : unknown;

/** The first part of the path of an attribute. */
type Root<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path;

/** What is left of a document when only some attributes are retrieved. */
export type Retrieved<T, Paths extends string> =
  IsOpen<T> extends true
    ? T
    : string extends Paths
      ? T
      : '*' extends Paths
        ? T
        : Pick<T, Extract<keyof T, Root<Paths>>>;
