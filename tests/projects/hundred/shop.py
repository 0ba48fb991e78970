def total(prices, discount=0):
    if not 0 <= discount <= 1:
        raise ValueError(f"a discount of {discount} makes no sense")
    return round(sum(prices) * (1 - discount), 2)


def parse(text):
    name, price = text.split("=")
    return name.strip(), float(price)
