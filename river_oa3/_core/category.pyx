cdef class Category:
    def __init__(self, name, str value):
        self.name = name
        self.value = value
        self.hash = category_hash(hash(name), hash(value))

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
