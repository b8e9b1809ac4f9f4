import hashlib

cdef enum:
    # Of what is kept of a longer text, to be read by people; the digest is what tells them apart.
    N_FIRST = 40
    N_DIGITS = 32


cdef class Category:
    def __init__(self, name, str value):
        self.name = name
        self.value = kept_text(value)
        self.hash = category_hash(hash(name), hash(self.value))

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        if type(other) is not Category:
            return NotImplemented
        return self.name == other.name and self.value == other.value

    def __reduce__(self):
        return Category, (self.name, self.value)

    def __repr__(self):
        return f"Category({self.name!r}, {self.value!r})"


cpdef str kept_text(str text):
    """What a model keeps of a text: all of it, or how it begins and its digest where it is long.

    Of what is kept, the same is kept again.
    """
    if len(text) <= LONGEST_TEXT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:N_FIRST]}... sha256 {digest[:N_DIGITS]}"
