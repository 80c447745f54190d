"""The ristretto255 group in plain Python integers, written from RFC 9496.

Slow and not constant-time: for vectors only.
"""

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def is_negative(value: int) -> bool:
    return value % P % 2 == 1


def absolute(value: int) -> int:
    return -value % P if is_negative(value) else value % P


def sqrt_ratio_m1(u: int, v: int) -> tuple[bool, int]:
    root = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * root * root % P
    correct, flipped, flipped_i = check == u % P, check == -u % P, check == -u * SQRT_M1 % P
    if flipped or flipped_i:
        root = root * SQRT_M1 % P
    return correct or flipped, absolute(root)


SQRT_AD_MINUS_ONE = sqrt_ratio_m1(-D - 1, 1)[1]
# RFC 9496 fixes the sign of this constant; both roots are squares of a*d - 1 with a = -1.
if SQRT_AD_MINUS_ONE != 25063068953384623474111414158702152701244531502492656460079210482610430750235:
    SQRT_AD_MINUS_ONE = -SQRT_AD_MINUS_ONE % P
INVSQRT_A_MINUS_D = sqrt_ratio_m1(1, -1 - D)[1]
ONE_MINUS_D_SQ = (1 - D * D) % P
D_MINUS_ONE_SQ = (D - 1) ** 2 % P

Point = tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def add(p: Point, q: Point) -> Point:
    x1, y1, z1, t1 = p
    x2, y2, z2, t2 = q
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar: int, point: Point) -> Point:
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def encode(point: Point) -> bytes:
    x0, y0, z0, t0 = point
    u1, u2 = (z0 + y0) * (z0 - y0) % P, x0 * y0 % P
    inverse = sqrt_ratio_m1(1, u1 * u2 * u2)[1]
    den1, den2 = inverse * u1 % P, inverse * u2 % P
    z_inverse = den1 * den2 * t0 % P
    if is_negative(t0 * z_inverse):
        x, y, den = y0 * SQRT_M1 % P, x0 * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den = x0, y0, den2
    if is_negative(x * z_inverse):
        y = -y
    return absolute(den * (z0 - y)).to_bytes(32, "little")


def decode(data: bytes) -> Point | None:
    s = int.from_bytes(data, "little")
    if s >= P or is_negative(s):
        return None
    ss = s * s % P
    u1, u2 = (1 - ss) % P, (1 + ss) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    square, inverse = sqrt_ratio_m1(1, v * u2 * u2)
    den_x = inverse * u2 % P
    x = absolute(2 * s * den_x)
    y = u1 * inverse * den_x * v % P
    t = x * y % P
    if not square or is_negative(t) or y == 0:
        return None
    return x, y, 1, t


def from_hash(data: bytes) -> Point:
    return add(_map(data[:32]), _map(data[32:]))


def _map(data: bytes) -> Point:
    t = int.from_bytes(data, "little") % 2**255 % P
    r = SQRT_M1 * t * t % P
    u, v = (r + 1) * ONE_MINUS_D_SQ % P, (-1 - r * D) * (r + D) % P
    square, s = sqrt_ratio_m1(u, v)
    c = -1
    if not square:
        s, c = -absolute(s * t) % P, r
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P
